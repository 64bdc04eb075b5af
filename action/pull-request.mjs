/**
 * Writes the comment of this project on the pull request, over the one of an earlier run. Throws when GitHub refuses.
 * @param {string} text
 * @param {{ apiUrl: string, repository: string, number: number, token: string, project: string }} at
 */
export async function writeComment(text, { apiUrl, repository, number, token, project }) {
  const marker = `<!-- assay ${project} -->`;
  const call = async (method, path, json) => {
    const reply = await fetch(`${apiUrl}/repos/${repository}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': 'assay-action',
        'x-github-api-version': '2022-11-28',
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(20_000),
    });
    if (!reply.ok) throw new Error(`GitHub answered ${reply.status} to ${method} ${path}`);
    return reply.json();
  };
  const earlier = await findComment(call, number, marker);
  const body = `${marker}\n${text}`;
  if (earlier === null) await call('POST', `/issues/${number}/comments`, { body });
  else await call('PATCH', `/issues/comments/${earlier}`, { body });
}

const MOST_PAGES = 30;

async function findComment(call, number, marker) {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const comments = await call('GET', `/issues/${number}/comments?per_page=100&page=${page}`);
    // Anybody may write the marker; only a bot's comment is ours to change.
    const ours = comments.find(({ body, user }) => body?.startsWith(marker) && user?.type === 'Bot');
    if (ours !== undefined) return ours.id;
    if (comments.length < 100) return null;
  }
  return null;
}
