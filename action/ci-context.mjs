import { readFileSync } from 'node:fs';

/**
 * Where this runs, from the variables that GitHub Actions, GitLab CI and AWS CodeBuild set.
 * @param {NodeJS.ProcessEnv} env
 */
export function ciContext(env) {
  if (env.GITHUB_ACTIONS === 'true') return gitHub(env);
  if (env.GITLAB_CI === 'true') {
    return {
      name: 'gitlab-ci',
      ref: env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || env.CI_COMMIT_REF_NAME,
      sha: env.CI_COMMIT_SHA,
      isPublic: env.CI_PROJECT_VISIBILITY === 'public',
      // A job that is retried has an id of its own.
      attempt: `${env.CI_PROJECT_ID}-${env.CI_JOB_ID}`,
    };
  }
  if (env.CODEBUILD_BUILD_ID) {
    return {
      name: 'codebuild',
      ref: env.CODEBUILD_WEBHOOK_HEAD_REF || env.CODEBUILD_SOURCE_VERSION,
      sha: env.CODEBUILD_RESOLVED_SOURCE_VERSION,
      attempt: env.CODEBUILD_BUILD_ID,
    };
  }
  return { name: 'ci', ref: env.ASSAY_REF, sha: env.ASSAY_SHA, attempt: undefined };
}

/** On a pull request GITHUB_SHA is a merge commit that nobody knows; the event has the branch's own. */
function gitHub(env) {
  const { pull_request: pull, repository } = readEvent(env.GITHUB_EVENT_PATH);
  return {
    name: 'github-actions',
    ref: env.GITHUB_HEAD_REF || env.GITHUB_REF,
    sha: pull?.head?.sha ?? env.GITHUB_SHA,
    attempt: [env.GITHUB_REPOSITORY, env.GITHUB_RUN_ID, env.GITHUB_RUN_ATTEMPT, env.GITHUB_JOB, env.GITHUB_ACTION].join(
      '-',
    ),
    pullRequest: pull?.number,
    isPublic: repository?.private === false,
  };
}

function readEvent(path) {
  if (!path) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
