// Runs for each test file: a test leaves no page open, also if it fails.
import { afterEach } from 'vitest';
import { leave } from './browser';

afterEach(leave);
