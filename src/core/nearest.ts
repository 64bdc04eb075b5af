/** The known name closest to a mistyped one, or undefined when none is near (more than a third of it differs). */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const candidates = [...known];
  // Whatever is longer is near none of them, and comparing a text of megabytes letter by letter takes minutes.
  if (name.length > Math.max(0, ...candidates.map((candidate) => candidate.length + reach(candidate))))
    return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { name: candidate, distance };
  }
  if (best === undefined) return undefined;
  return best.distance <= reach(best.name) ? best.name : undefined;
}

const reach = (name: string): number => Math.max(2, Math.floor(name.length / 3));

/** Levenshtein distance; names are short. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
