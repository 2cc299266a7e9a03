-- Version 5: a run says which distances its neighbour table kept. Until now all kept them in FP64. NULL: no table.

ALTER TABLE run ADD COLUMN distances TEXT CHECK (distances IN ('none', 'f32', 'f64'));
UPDATE run SET distances = 'f64' WHERE mode = 'table';
