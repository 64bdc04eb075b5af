import { useEffect, useState } from 'preact/hooks';

/** The time, told anew so often that "3 min ago" stays true. */
export function useNow(everyMs = 20_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
