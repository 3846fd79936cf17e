// Nobody needs it: what it misses is not missed.
void defined_nowhere();
void unused() { defined_nowhere(); }
