import { NotBuiltError } from '../shared/not-built-error.ts';

export const handler = async (): Promise<never> => {
  throw new NotBuiltError('prepare-run');
};
