import type { ApiToken } from '../../src/core/schemas/api-token.ts';
import { createToken, NewTokenSchema, revokeToken, statusOf } from '../../src/use-cases/manage/api-tokens.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { refuseUnlessOwner } from './caller.ts';
import { tokenParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';

export const createTokenOperation: ApiOperation = async (request, ports, caller) => {
  refuseUnlessOwner(caller, 'making a token');
  const wanted = parseJsonBody(request, NewTokenSchema);
  const { token, record } = await createToken({ ...wanted, createdBy: caller.name }, ports);
  return jsonResponse(201, { ...toView(record, ports.clock.now()), token }, { location: `/api/tokens/${record.id}` });
};

export const listTokensOperation: ApiOperation = async (_request, { registry, clock }, caller) => {
  refuseUnlessOwner(caller, 'listing tokens');
  return jsonResponse(200, { items: (await registry.listTokens()).map((token) => toView(token, clock.now())) });
};

/** Who the caller is and what it may: a client need not offer what would be refused. */
export const readCallerOperation: ApiOperation = async (_request, _ports, { name, projects, access }) => {
  return jsonResponse(200, { name, projects, access });
};

export const revokeTokenOperation: ApiOperation = async (request, ports, caller) => {
  refuseUnlessOwner(caller, 'revoking a token');
  return jsonResponse(200, toView(await revokeToken(tokenParameter(request), ports), ports.clock.now()));
};

function toView(token: ApiToken, nowMs: number) {
  const { hash: _, ...told } = token;
  return { ...told, status: statusOf(token, nowMs) };
}
