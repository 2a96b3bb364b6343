// Opens BAF's Streamlit client and its monitoring in Chromium, and takes pictures. Run
// .ci/baf-clients.
//
//   node pages.mjs chat URL PICTURE
//   node pages.mjs monitoring URL PICTURE PICTURE
import { createRequire } from 'node:module';

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('playwright-core');
const [what, url, picture, second] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
});
const page = await browser.newPage({ viewport: { width: 1100, height: 800 }, reducedMotion: 'reduce' });
page.setDefaultTimeout(90_000);
/** says waits until the page shows a text. */
const says = (text) => page.getByText(text).first().waitFor();
try {
  await page.goto(url);
  if (what === 'chat') {
    await says('What would you like to know?');
    for (const [message, reply] of [
      ['when are you open in lux?', 'In Luxembourg we are open from 9 to 18.'],
      ['how much is shipping of three parcels?', 'Shipping costs 12 €.'],
    ]) {
      await page.getByTestId('stChatInputTextArea').fill(message);
      await page.keyboard.press('Enter');
      await says(reply);
    }
    await page.getByText('Shipping costs 12 €.').last().scrollIntoViewIfNeeded();
  } else {
    await says(/Total sessions: \d/);
    await says('Total messages: ');
    await page.locator('.js-plotly-plot').nth(3).waitFor();
  }
  await settled();
  await page.screenshot({ path: picture });
  if (what === 'monitoring') {
    // The flow graph needs a script of another host. The tables have the same rows.
    await page.frameLocator('iframe').first().getByText('Table Overview').click();
    await says('Table chat');
    await page.getByTestId('stDataFrame').nth(6).waitFor({ state: 'attached' });
    await page.getByTestId('stDataFrame').first().locator('canvas').first().waitFor();
    await settled();
    await page.screenshot({ path: second });
  }
  console.log('ok  ', what, url);
} catch (error) {
  await page.screenshot({ path: `${picture}.failed.png` });
  console.error(await page.locator('body').innerText());
  throw error;
} finally {
  await browser.close();
}

/** settled waits until the page looks the same for a second. */
async function settled() {
  for (let last = '', same = 0; same < 3; ) {
    await page.waitForTimeout(400);
    const now = (await page.screenshot()).toString('base64');
    same = now === last ? same + 1 : 0;
    last = now;
  }
}
