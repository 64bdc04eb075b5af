// The package comes without types.
declare module 'asl-validator' {
  export default function validate(definition: Record<string, unknown>): {
    isValid: boolean;
    errors: Record<'Error code' | 'Message', string>[];
  };
}
