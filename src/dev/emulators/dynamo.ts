import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { TABLE_KEYS } from '../../adapters/aws/table-keys.ts';
import type { Emulator, EmulatorOptions } from './emulator.ts';
import { missingPackage } from './emulator.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from './local-account.ts';

type CreateServer = (options: { path?: string; createTableMs: number }) => Server;

/** DynamoDB with the table as the CDK app makes it: `pk`, `sk`, sparse index `gsi1`, on demand. */
export async function startDynamo(options: EmulatorOptions & { tableName: string }): Promise<Emulator> {
  const createServer = await loadDynalite();
  const server = createServer({ ...(options.path === undefined ? {} : { path: options.path }), createTableMs: 0 });
  const endpoint = await listen(server, options.port ?? 0);
  const stop = () => close(server);
  try {
    await createTable(endpoint, options.tableName);
    return { endpoint, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function loadDynalite(): Promise<CreateServer> {
  // A name that the compiler does not follow: the package brings no types.
  const name: string = 'dynalite';
  try {
    return ((await import(name)) as { default: CreateServer }).default;
  } catch (error) {
    throw missingPackage(name, error);
  }
}

async function createTable(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
  const { partitionKey, sortKey, index, indexPartitionKey, indexSortKey } = TABLE_KEYS;
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [partitionKey, sortKey, indexPartitionKey, indexSortKey].map((name) => ({
          AttributeName: name,
          AttributeType: 'S',
        })),
        KeySchema: keySchema(partitionKey, sortKey),
        GlobalSecondaryIndexes: [
          {
            IndexName: index,
            KeySchema: keySchema(indexPartitionKey, indexSortKey),
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    );
  } catch (error) {
    // A folder that was used before has it already.
    if (!(error instanceof Error && error.name === 'ResourceInUseException')) throw error;
  } finally {
    client.destroy();
  }
}

function keySchema(partitionKey: string, sortKey: string) {
  return [
    { AttributeName: partitionKey, KeyType: 'HASH' as const },
    { AttributeName: sortKey, KeyType: 'RANGE' as const },
  ];
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    // Kept-alive connections would hold the port until they time out.
    server.closeAllConnections();
  });
}
