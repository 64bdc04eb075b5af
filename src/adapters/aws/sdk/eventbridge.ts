// The calls we make and no others, loaded when first needed (see dynamodb.ts).
export { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
