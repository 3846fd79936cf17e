-- Warps that wait for room in the queue of the texture unit.
INSERT INTO ENUM_SIMSIGHT_WARP_STATE (id, name, label) VALUES
    (16, 'tex_throttle', 'TEX Throttle');
