-- Below, each table has a partition in each schema of genes. A post has its author's gene.

-- Posts, deleted ones too. Its kind is 0 for a post, 1 for a reply, 2 for a plain repost, 3 for a quote; whom it is for is
-- 0 for everybody, 1 for followers, 2 for friends, 3 for a group of the author. In texts the character 1 stands before
-- what stands for itself (2) and for the character 0 (1), which a database cannot hold.
create table gx.post (
    gene smallint not null,
    id bigint not null,
    author bigint not null,
    kind smallint not null,
    ref bigint,
    ref_author bigint,
    visibility smallint not null,
    audience bigint,
    deleted boolean not null,
    made_seq bigint,
    revision int not null,
    update_ms bigint not null,
    create_ms bigint not null,
    deleted_ms bigint,
    text text not null,
    attachment_kinds smallint[] not null,
    attachments text[] not null,
    source_key text collate "C",
    primary key (id, gene),
    check ((ref is null) = (kind = 0) and (ref_author is null) = (kind = 0))
) partition by list (gene);
-- The outbox of an author.
create index on gx.post (author, id desc);
-- The plain reposts of an original that stand.
create index on gx.post (author, ref, id) where kind = 2 and not deleted;
-- What is purged next.
create index on gx.post (deleted_ms, id) where deleted_ms is not null;

-- What posts were before they were edited.
create table gx.post_revision (
    gene smallint not null,
    id bigint not null,
    revision int not null,
    update_ms bigint not null,
    visibility smallint not null,
    audience bigint,
    text text not null,
    attachment_kinds smallint[] not null,
    attachments text[] not null,
    primary key (id, revision, gene)
) partition by list (gene);

-- The counters of posts that ever had one.
create table gx.post_stats (
    gene smallint not null,
    id bigint not null,
    likes bigint not null,
    replies bigint not null,
    reposts bigint not null,
    primary key (id, gene)
) partition by list (gene);

-- What answers or shares a post: what follows from the posts of others. Active while it is not deleted.
create table gx.post_ref (
    gene smallint not null,
    original bigint not null,
    ref bigint not null,
    kind smallint not null,
    version bigint not null,
    active boolean not null,
    primary key (original, ref, gene)
) partition by list (gene);

-- What users like: facts.
create table gx.liked (
    gene smallint not null,
    uid bigint not null,
    post bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (uid, post, gene)
) partition by list (gene);

-- Who likes posts: what follows from the facts of others.
create table gx.liker (
    gene smallint not null,
    post bigint not null,
    uid bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (post, uid, gene)
) partition by list (gene);
create index on gx.liker (post, at desc, uid desc) where active;

-- The newest of each outbox, when it last changed, and where the posts begin that the author created.
create table gx.author (
    gene smallint not null,
    uid bigint not null,
    last_post bigint,
    last_seq bigint not null,
    changed_seq bigint not null,
    created_from bigint,
    primary key (uid, gene)
) partition by list (gene);

-- The names that sources have for posts of an author.
create table gx.post_source (
    gene smallint not null,
    author bigint not null,
    key text collate "C" not null,
    id bigint not null,
    primary key (author, key, gene)
) partition by list (gene);

-- Up to where users have seen their homes: logs, and an event of each.
create table gx.seen (
    gene smallint not null,
    uid bigint not null,
    logs smallint[] not null,
    seqs bigint[] not null,
    primary key (uid, gene)
) partition by list (gene);
