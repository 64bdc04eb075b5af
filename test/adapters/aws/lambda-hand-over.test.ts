import { afterEach, describe, expect, it } from 'vitest';
import { lambdaHandle } from '../../../src/adapters/aws/clients.ts';
import { LambdaHandOver } from '../../../src/adapters/aws/lambda-hand-over.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { type Answering, JsonStub } from '../json-stub.ts';

const request = { project: 'shop', dataset: 'faq', upload_id: 'faq.csv.1', file_name: 'faq.csv' };
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };

let stub: JsonStub | undefined;
afterEach(() => stub?.close());

/** The real SDK against a stand-in for Lambda. */
async function start(answering: Answering): Promise<JsonStub> {
  stub = new JsonStub(answering);
  const endpoint = await stub.listen();
  const lambda = lambdaHandle({ region: 'eu-west-1', endpoint, credentials });
  await new LambdaHandOver({ functionName: 'assay-ingest', lambda }).start(request);
  return stub;
}

const accepted = { status: 202, body: '' };
const unavailable = { status: 503, headers: { 'x-amzn-errortype': 'ServiceException' }, body: { Message: 'down' } };

describe('handing work to another function', () => {
  it('invokes the function without waiting for it', async () => {
    const { requests } = await start(() => accepted);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.path).toBe('/2015-03-31/functions/assay-ingest/invocations');
    expect(requests[0]?.headers['x-amz-invocation-type']).toBe('Event');
    expect(requests[0]?.body).toEqual(request);
  });

  it('tries again after a failure of the service', async () => {
    const { requests } = await start((_, number) => (number === 0 ? unavailable : accepted));
    expect(requests).toHaveLength(2);
  });

  it('says what Lambda refused, and does not repeat it', async () => {
    const missing = {
      status: 404,
      headers: { 'x-amzn-errortype': 'ResourceNotFoundException' },
      body: { Message: 'no such function' },
    };
    const started = start(() => missing);
    await expect(started).rejects.toThrow(StorageError);
    await expect(started).rejects.toThrow(/assay-ingest.*no such function/);
    expect(stub?.requests).toHaveLength(1);
  });
});
