// The file of the module, which is compressed, so that it is small on any server.

/** The first bytes of a file that is compressed by gzip. */
const GZIP = [0x1f, 0x8b];

/**
 * The module in the bytes of its file. A server may have decompressed them on the way.
 * @param {ArrayBuffer} bytes
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(bytes) {
    const head = new Uint8Array(bytes, 0, 2);
    if (GZIP.some((byte, index) => head[index] !== byte)) {
        return WebAssembly.compile(bytes);
    }
    const content = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(content).arrayBuffer());
}
