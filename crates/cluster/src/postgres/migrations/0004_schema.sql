create table {schema}.post partition of gx.post for values in ({genes});
create table {schema}.post_revision partition of gx.post_revision for values in ({genes});
create table {schema}.post_ref partition of gx.post_ref for values in ({genes});
create table {schema}.liked partition of gx.liked for values in ({genes});
create table {schema}.liker partition of gx.liker for values in ({genes});
create table {schema}.post_source partition of gx.post_source for values in ({genes});
create table {schema}.post_stats partition of gx.post_stats for values in ({genes}) with (fillfactor = 70);
create table {schema}.author partition of gx.author for values in ({genes}) with (fillfactor = 70);
create table {schema}.seen partition of gx.seen for values in ({genes}) with (fillfactor = 70);
