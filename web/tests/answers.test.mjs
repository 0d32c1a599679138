// The engine in Node gives the answers of the command, stops at once, and says when its memory runs out.
//
// usage: OMNOGRAM=path/to/omnogram node --test web/tests, after scripts/web. `OMNOGRAM_PUZZLES` names further files and folders of puzzles, and
// `OMNOGRAM_ROUNDS` the number of random puzzles.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";

import { OmnogramError, check, close, count, explain, repair, solutions, solve } from "../../target/npm/index.js";
import { start } from "../../target/npm/start-node.js";

const COMMAND = process.env.OMNOGRAM ?? "target/release/omnogram";
const ROUNDS = Number(process.env.OMNOGRAM_ROUNDS ?? 200);
const TIME = Number(process.env.OMNOGRAM_TIME ?? 20);

/** n x n with one cell in every line: n! solutions. */
function permutations(n) {
    const ones = Array.from({ length: n }, () => [1]);
    return { rows: ones, columns: ones };
}

/** A puzzle that nobody counts within seconds. */
const ENDLESS = { rows: Array(40).fill([1, 1, 2]), columns: Array(40).fill([1, 1, 2]) };

/** What the command says of a file, a JSON object for each puzzle. */
function command(verb, file) {
    const options = [verb, "--json", "-q", "--threads", "1", "--time", `${TIME}s`, file];
    try {
        return lines(execFileSync(COMMAND, options, { maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "ignore"] }));
    } catch (error) {
        return lines(error.stdout);
    }
}

function lines(text) {
    return String(text).trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** The puzzles of a file, as the engine reads it. */
async function read(pool, file) {
    const bytes = new Uint8Array(readFileSync(file));
    const response = await pool.ask("read", `name=${encodeURIComponent(file)}`, bytes.buffer);
    return (await response.json()).puzzles;
}

function filesOf(path) {
    if (!statSync(path).isDirectory()) {
        return [path];
    }
    return readdirSync(path).sort().flatMap((name) => filesOf(join(path, name)));
}

/** Random numbers from 0 to 1 (a generator by Marsaglia, "Xorshift RNGs", 2003). */
function randomNumbers(seed) {
    let state = seed;
    return () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) / 2 ** 32;
    };
}

function runs(line) {
    return line.join("").split("0").map((run) => run.length).filter((length) => length > 0);
}

function randomPuzzle(random) {
    const [width, height] = [1 + Math.floor(random() * 14), 1 + Math.floor(random() * 14)];
    const density = 0.2 + 0.6 * random();
    const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => Number(random() < density)));
    return { rows: rows.map(runs), columns: rows[0].map((_, column) => runs(rows.map((row) => row[column]))) };
}

after(close);

test("the functions answer", async () => {
    assert.equal((await count(permutations(20))).solutions, "2432902008176640000");
    const checked = await check(["#..#.", ".#.#.", "...#.", "...#.", "#####"]);
    assert.deepEqual([checked.verdict, checked.solutions, checked.exact, checked.regions.length], ["multiple", "2", true, 1]);
    assert.match((await check(["##", ".#"])).profile.words, /lines/);
    assert.deepEqual((await solve({ rows: [[2], [1]], columns: [[1], [2]] })).solution, ["##", ".#"]);
    assert.deepEqual((await repair(["#.", ".#"])).flips.length, 1);
    assert.equal((await explain(["##", ".#"])).ending, "solved");
    await assert.rejects(count({ rows: [[5]], columns: [[1], [1]] }), OmnogramError);
});

test("solutions are read in parts, each once", async () => {
    for (const batch of [1, 7, 1000]) {
        const found = new Set();
        for await (const picture of solutions(permutations(5), { batch })) {
            found.add(picture.join("\n"));
        }
        assert.equal(found.size, 120);
    }
    let read = 0;
    for await (const picture of solutions(permutations(20))) {
        assert.equal(picture.length, 20);
        read += 1;
        if (read === 1000) {
            break;
        }
    }
});

test("a question that is cancelled ends within 100 ms, and another is answered", async () => {
    for (const ask of [count, check, (puzzle, options) => solutions(puzzle, options).next().then(() => count(puzzle, options))]) {
        const controller = new AbortController();
        let cancelled = 0;
        setTimeout(() => {
            cancelled = performance.now();
            controller.abort();
        }, 500);
        await assert.rejects(ask(ENDLESS, { signal: controller.signal }), { name: "AbortError" });
        assert.ok(performance.now() - cancelled < 100);
        assert.equal((await count(permutations(4))).solutions, "24");
    }
});

test("a limit on time is kept, and progress is told", async () => {
    let told = 0;
    const begun = performance.now();
    const counted = await count(ENDLESS, { seconds: 1, onProgress: () => (told += 1) });
    assert.deepEqual([counted.stopped, counted.exact], ["time", false]);
    assert.ok(performance.now() - begun < 2000);
    assert.ok(told >= 5, `${told}`);
});

test("memory that runs out is told, and another question is answered", async () => {
    const pool = await start(512);
    const ask = async (puzzle) => {
        const body = new TextEncoder().encode(JSON.stringify({ puzzle })).buffer;
        return (await pool.ask("count", "", body)).text();
    };
    assert.match(await ask(ENDLESS), /"error":"this needs more memory/);
    assert.match(await ask(permutations(4)), /"solutions":"24"/);
    pool.end();
});

test("the package is used from an empty folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "omnogram-"));
    const run = (program, ...options) => String(execFileSync(program, options, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }));
    const file = run("npm", "pack", "--silent", resolve("target/npm")).trim();
    run("npm", "install", "--offline", "--no-audit", "--no-fund", `./${file}`);
    writeFileSync(join(folder, "count.mjs"), 'import { count } from "omnogram"; console.log((await count(["#.", ".#"])).solutions);');
    assert.equal(run("node", "count.mjs"), "2\n");
    const packed = readdirSync(join(folder, "node_modules/omnogram"));
    for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "index.d.ts", "omnogram.module"]) {
        assert.ok(packed.includes(name), name);
    }
    rmSync(folder, { recursive: true });
});

test("counts are those of the command", async () => {
    const pool = await start();
    const folder = mkdtempSync(join(tmpdir(), "omnogram-"));
    const random = randomNumbers(1);
    const randomFile = join(folder, "random.json");
    writeFileSync(randomFile, JSON.stringify(Array.from({ length: ROUNDS }, () => randomPuzzle(random))));
    const others = (process.env.OMNOGRAM_PUZZLES ?? "puzzles/pictures").split(":").flatMap(filesOf);
    const times = { command: 0, engine: 0, puzzles: 0, unread: 0, stopped: 0 };
    for (const file of [randomFile, ...others]) {
        const puzzles = (await read(pool, file)).filter(({ puzzle }) => puzzle);
        const expected = command("count", file).filter(({ solutions }) => solutions !== undefined);
        assert.equal(puzzles.length, expected.length, file);
        for (const [index, { puzzle }] of puzzles.entries()) {
            const begun = performance.now();
            const counted = await count(puzzle, { seconds: 4 * TIME });
            const told = `${file}#${index + 1}`;
            if (counted.exact && expected[index].exact) {
                assert.equal(counted.solutions, expected[index].solutions, told);
                times.engine += (performance.now() - begun) / 1000;
                times.command += expected[index].seconds;
                times.puzzles += 1;
            } else {
                times.stopped += 1;
                const [one, other] = [counted, expected[index]].map(({ solutions }) => BigInt(solutions));
                assert.ok(counted.exact ? one >= other : !expected[index].exact || other >= one, told);
            }
        }
    }
    pool.end();
    rmSync(folder, { recursive: true });
    console.log(`${times.puzzles} equal, ${times.stopped} stopped; ${times.engine.toFixed(1)} s, the command ${times.command.toFixed(1)} s`);
});
