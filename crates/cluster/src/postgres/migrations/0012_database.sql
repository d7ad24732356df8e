-- The reposts and quotes of a post that stand, newest first.
create index on gx.post_ref (original, ref desc) where active and kind > 1;
