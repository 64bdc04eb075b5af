// The calls we make and no others, loaded when first needed (see dynamodb.ts).
export { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
