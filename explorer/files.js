// Scenarios in links and files. A link ends with `#s=`: the text, compressed by zlib, in base64url.
const Files = (() => {
  // Bounds what a link may unpack to.
  const MOST = 4e6;

  async function pack(text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    const parts = [];
    for (let size = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MOST) throw new Error(`longer than ${MOST} bytes`);
      parts.push(value);
    }
    return new Blob(parts).text();
  }

  // The text in the end of an address, or null.
  async function ofAddress(address) {
    const at = address.indexOf("#s=");
    return at < 0 ? null : unpack(address.slice(at + 3));
  }

  // The text of the scenario in a file: TOML, JSON, or a report of `airtcp run`.
  async function ofFile(file) {
    const text = await file.text();
    if (!/^\s*(<!doctype|<html)/i.test(text)) return text;
    const report = new DOMParser().parseFromString(text, "text/html");
    const link = report.querySelector("a#explorer");
    if (!link) throw new Error(`${file.name}: expected a report of airtcp run`);
    return ofAddress(link.getAttribute("href"));
  }

  function save(name, text, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  return { pack, ofAddress, ofFile, save };
})();
