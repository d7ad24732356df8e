create table {schema}.user_group partition of gx.user_group for values in ({genes}) with (fillfactor = 70);
create table {schema}.group_number partition of gx.group_number for values in ({genes}) with (fillfactor = 70);
create table {schema}.group_member partition of gx.group_member for values in ({genes});
create table {schema}.dismissed partition of gx.dismissed for values in ({genes});
create table {schema}.affinity partition of gx.affinity for values in ({genes}) with (fillfactor = 70);
create table {schema}.affinity_half_life partition of gx.affinity_half_life for values in ({genes});
create table {schema}.session partition of gx.session for values in ({genes}) with (fillfactor = 70);
