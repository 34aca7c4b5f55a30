// A user with a browser: opens the address, logs in and consents, and prints where
// that ends. SVC_BROWSE=cancel does not log in; SVC_BROWSE=stay does not go back to
// the application, but prints the address that it would go back to.
import { chromium } from 'playwright-core';

const address = process.argv[2];
const back = new URL(address).searchParams.get('redirect_uri');
const wish = process.env.SVC_BROWSE;
const browser = await chromium.launch({ executablePath: process.env.SVC_CHROMIUM, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  const came = new Promise((resolve) => {
    page.route((url) => url.href.startsWith(back), async (route) => {
      if (wish === 'stay') {
        resolve(route.request().url());
        return route.abort();
      }
      await route.continue();
    });
    page.on('load', async () => {
      if (page.url().startsWith(back)) resolve(await page.innerText('body'));
    });
  });
  await page.goto(address);
  if (wish === 'cancel') {
    await page.getByRole('link', { name: 'Cancel' }).click();
  } else {
    await page.fill('input[name=login]', 'ada');
    await page.fill('input[name=password]', 'any');
    await page.click('button[type=submit]');
    await page.getByRole('button', { name: 'Continue' }).click({ noWaitAfter: true });
  }
  console.log(await came);
} finally {
  await browser.close();
}
