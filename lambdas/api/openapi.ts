import { jsonResponse } from '../shared/http-response.ts';
import type { ApiOperation } from './ports.ts';

/** The description of this API. Read when it is asked for: it is larger than most that a cold start loads. */
export const readOpenApiOperation: ApiOperation = async () => {
  const { default: document } = await import('../../schemas/openapi.json', { with: { type: 'json' } });
  return jsonResponse(200, document);
};
