// What is dropped onto the page or pasted: its files, those of folders among them, and its text.

/**
 * The files of a drop or a paste; a folder stands for all its files in the order of their paths.
 *
 * The items must be taken during the event, so this begins with all of them before it waits.
 * @param {DataTransfer} data
 * @returns {Promise<File[]>}
 */
export async function filesOf(data) {
    const items = [...data.items].filter((item) => item.kind === "file");
    const found = items.map((item) => {
        const entry = item.webkitGetAsEntry?.();
        return entry?.isDirectory ? filesOfFolder(entry) : [item.getAsFile()];
    });
    const files = await Promise.all(found);
    return files.flat().filter((file) => file !== null);
}

async function filesOfFolder(folder) {
    const files = [];
    const entries = await entriesOf(folder);
    entries.sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
    for (const entry of entries.filter(({ name }) => !name.startsWith("."))) {
        if (entry.isDirectory) {
            files.push(...await filesOfFolder(entry));
        } else {
            files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
        }
    }
    return files;
}

/** All entries of a folder, which the browser tells in parts. */
async function entriesOf(folder) {
    const reader = folder.createReader();
    const entries = [];
    for (;;) {
        const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (part.length === 0) {
            return entries;
        }
        entries.push(...part);
    }
}

/** The files of `<input webkitdirectory>` in the order of their paths, without hidden ones. */
export function filesOfInput(list) {
    const path = (file) => file.webkitRelativePath || file.name;
    const seen = [...list].filter((file) => !path(file).split("/").some((part) => part.startsWith(".")));
    return seen.sort((one, other) => path(one).localeCompare(path(other), "en", { numeric: true }));
}
