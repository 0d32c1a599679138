// A worker of the browser that answers questions.

import { serve } from "./module.js";

const take = serve(self);
self.onmessage = ({ data }) => take(data);
