const SIGNS: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function noteCard(note: string) {
  return frame(note);
}

export function remarkCard(remark: string) {
  const plain = escapeText(remark);
  return frame(plain);
}

function frame(text: string) {
  return `<article><p>${text}</p></article>`;
}

function escapeText(text: string) {
  return text.replace(/[&<>"']/g, (sign) => SIGNS[sign]);
}
