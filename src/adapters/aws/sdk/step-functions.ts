// The calls we make and no others, loaded when first needed (see dynamodb.ts).
export { DescribeExecutionCommand, SFNClient, StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
