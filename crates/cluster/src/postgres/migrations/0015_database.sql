-- Where a process answers questions to its indexes of search, and up to which events these have come; none of one that does not.
alter table gx.serving add column index_address text;
alter table gx.serving add column index_posts text;
alter table gx.serving add column index_users text;
-- What operators did, in the order of its ids; rows are in the first database alone. `entry` is what dumps have of it, too.
create table gx.audit (
    id bytea primary key,
    entry bytea not null
);
