// Reports flaky tests, which fail and then pass, at the end of the output.
import type { Reporter, TestModule } from 'vitest/node';

export class Flaky implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (!test.diagnostic()?.flaky) continue;
        const [error] = test.result().errors ?? [];
        console.log(`flaky: ${module.relativeModuleId} > ${test.fullName}\n  ${error?.message.split('\n')[0] ?? 'no error was reported'}`);
      }
    }
  }
}
