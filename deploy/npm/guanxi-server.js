#!/usr/bin/env node
// Starts the program of the package for this platform, with the same arguments, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const wanted = `guanxi-server-${process.platform}-${process.arch}`;

function program() {
  try {
    return require.resolve(`${wanted}/bin/guanxi`);
  } catch {
    console.error(
      `guanxi-server: the package ${wanted} is not installed. guanxi runs on Linux, on x64 and arm64; ` +
        "if this is one of them, install again without --omit=optional.",
    );
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`guanxi-server: ${error.message}`);
  process.exit(1);
});
// A terminal sends Ctrl-C to the program as well; other signals come here alone.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
