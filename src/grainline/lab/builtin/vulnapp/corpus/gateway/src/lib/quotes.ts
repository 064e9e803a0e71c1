const LISTED = new Set(["quotes.alpha.example", "quotes.beta.example"]);

export async function fetchQuote(endpoint: string) {
  return load(endpoint);
}

export async function fetchListedQuote(endpoint: string) {
  const { hostname } = new URL(endpoint);
  if (!LISTED.has(hostname)) {
    throw new Error("not a carrier that we know");
  }
  return load(endpoint);
}

async function load(url: string) {
  const answer = await fetch(url);
  return answer.json();
}
