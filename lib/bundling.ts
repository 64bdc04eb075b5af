import { fileURLToPath } from 'node:url';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import { OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { BuildOptions } from 'esbuild';

/** CommonJS dependencies (undici) call `require`, which ES modules do not have. */
const REQUIRE_BANNER = `import{createRequire}from'node:module';const require=createRequire(import.meta.url);`;

const TARGET = 'node24';
/** ES module builds first: the CommonJS ones of the SDK cannot be tree-shaken (490 KB where 340 KB do). */
const MAIN_FIELDS = ['module', 'main'];

const BUILD_CONSOLE = fileURLToPath(new URL('build-console.ts', import.meta.url));
const SETTLE_SOURCE_MAP = fileURLToPath(new URL('settle-source-map.ts', import.meta.url));

/**
 * How CDK bundles every handler: one minified ES module with the SDK inside, since the runtime's copy lags behind
 * what we send to Bedrock. Source maps without sources, so that a stack trace names a line of the repository
 * (read at a cold start: 15 of 100 ms measured for a bundle of 515 KB).
 */
export const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  target: TARGET,
  minify: true,
  mainFields: MAIN_FIELDS,
  externalModules: [],
  banner: REQUIRE_BANNER,
  sourceMap: true,
  sourceMapMode: SourceMapMode.DEFAULT,
  sourcesContent: false,
  esbuildArgs: { '--legal-comments': 'none' },
  commandHooks: {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_input, output) => [[process.execPath, SETTLE_SOURCE_MAP, output].map(quoted).join(' ')],
  },
};

/** The same for the API, which the web console lies beside: read when a browser asks, not at a cold start. */
export const API_BUNDLING: BundlingOptions = {
  ...BUNDLING,
  commandHooks: {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (input, output) => [
      ...(BUNDLING.commandHooks?.afterBundling(input, output) ?? []),
      [process.execPath, BUILD_CONSOLE, `${output}/console`].map(quoted).join(' '),
    ],
  },
};

/** The same for esbuild itself, to measure what CDK will ship. */
export function esbuildOptions(entry: string): BuildOptions {
  return {
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: TARGET,
    minify: true,
    mainFields: MAIN_FIELDS,
    banner: { js: REQUIRE_BANNER },
    legalComments: 'none',
    write: false,
    metafile: true,
    outfile: 'index.mjs',
    logLevel: 'silent',
  };
}

function quoted(text: string): string {
  return `"${text}"`;
}
