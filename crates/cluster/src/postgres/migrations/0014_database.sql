-- Why an operator has taken a post down, which is as deleted then. One that its author has deleted, too, has a time beside it.
alter table gx.post add column takedown text;
-- Why an operator has taken a user down, who is as deactivated then, whatever its status, which it has again afterwards.
alter table gx.account add column takedown text;
-- Whether it is taken down.
alter table gx.standing add column takedown boolean;
create index on gx.standing (uid) where status <> 'active' or takedown;
