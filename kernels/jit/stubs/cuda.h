#pragma once
struct alignas(64) CUtensorMap {
    unsigned long opaque[16];
};
