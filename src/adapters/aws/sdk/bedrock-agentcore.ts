// The calls we make and no others, loaded when first needed (see dynamodb.ts).
export { BedrockAgentCoreClient, InvokeAgentRuntimeCommand } from '@aws-sdk/client-bedrock-agentcore';
