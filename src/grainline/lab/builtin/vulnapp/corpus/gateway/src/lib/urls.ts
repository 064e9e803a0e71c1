export function localOnly(target: string) {
  const isLocal = /^\/(?![\/\\])/.test(target);
  return isLocal ? target : "/";
}
