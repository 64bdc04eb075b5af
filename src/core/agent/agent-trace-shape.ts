/** The parts of a Bedrock Agents trace that are read, as the SDK gives them; every member may be missing. */
type Maybe<T> = { readonly [key in keyof T]?: T[key] | undefined };

export type TraceUsage = Maybe<{ inputTokens: number; outputTokens: number }>;
type Metadata = Maybe<{ totalTimeMs: number; usage: TraceUsage }>;
type Text = Maybe<{ text: string }>;
export type Parameter = Maybe<{ name: string; type: string; value: string }>;

export type ActionGroupInput = Maybe<{
  actionGroupName: string;
  function: string;
  apiPath: string;
  verb: string;
  parameters: readonly Parameter[];
  requestBody: Maybe<{ content: Readonly<Record<string, readonly Parameter[]>> }>;
}>;

export type InvocationInput = Maybe<{
  traceId: string;
  actionGroupInvocationInput: ActionGroupInput;
  knowledgeBaseLookupInput: Maybe<{ text: string; knowledgeBaseId: string }>;
  codeInterpreterInvocationInput: Maybe<{ code: string }>;
  agentCollaboratorInvocationInput: Maybe<{ agentCollaboratorName: string; input: Text }>;
}>;

export type Observation = Maybe<{
  traceId: string;
  actionGroupInvocationOutput: Maybe<{ text: string; metadata: Metadata }>;
  knowledgeBaseLookupOutput: Maybe<{ retrievedReferences: readonly Maybe<{ content: Text }>[]; metadata: Metadata }>;
  codeInterpreterInvocationOutput: Maybe<{
    executionOutput: string;
    executionError: string;
    executionTimeout: boolean;
    metadata: Metadata;
  }>;
  agentCollaboratorInvocationOutput: Maybe<{ output: Text; metadata: Metadata }>;
  finalResponse: Text;
  repromptResponse: Text;
}>;

export type OrchestrationPart = Maybe<{
  rationale: Text;
  invocationInput: InvocationInput;
  observation: Observation;
  modelInvocationInput: Maybe<{ foundationModel: string }>;
  modelInvocationOutput: Maybe<{ metadata: Metadata; reasoningContent: Maybe<{ reasoningText: Text }> }>;
}>;

export type TraceMember = Maybe<{
  preProcessingTrace: Pick<OrchestrationPart, 'modelInvocationInput' | 'modelInvocationOutput'>;
  postProcessingTrace: Pick<OrchestrationPart, 'modelInvocationInput' | 'modelInvocationOutput'>;
  orchestrationTrace: OrchestrationPart;
  routingClassifierTrace: OrchestrationPart;
  customOrchestrationTrace: Maybe<{ event: Text }>;
  guardrailTrace: Maybe<{
    action: string;
    inputAssessments: readonly unknown[];
    outputAssessments: readonly unknown[];
  }>;
  failureTrace: Maybe<{ failureReason: string }>;
}>;

export type TracePart = Maybe<{ trace: TraceMember; collaboratorName: string }>;
