// A worker of Node that answers questions.

import { parentPort } from "node:worker_threads";

import { serve } from "./module.js";

parentPort.on("message", serve(parentPort));
