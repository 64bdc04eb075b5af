export { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
