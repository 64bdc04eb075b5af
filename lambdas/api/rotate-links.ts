import * as z from 'zod';
import { rotateReportLinks } from '../../src/use-cases/manage/rotate-report-links.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { refuseUnlessOwner } from './caller.ts';
import type { ApiOperation } from './ports.ts';

export const LinkRotationSchema = z.strictObject({ keep_previous: z.boolean().default(false) });

export const rotateLinksOperation: ApiOperation = async (request, ports, caller) => {
  refuseUnlessOwner(caller, 'revoking links');
  const { keep_previous } = parseJsonBody(request, LinkRotationSchema);
  return jsonResponse(200, { previous_valid: await rotateReportLinks({ keepPrevious: keep_previous }, ports) });
};
