//! Operators who only look: a token with the scope `admin.read`.

use crate::auth::{guarded, told_by_the_operators_door};
use crate::http::post_as;
use guanxi_api::rules::{Access, RULES};
use guanxi_model::Scope;

#[tokio::test]
async fn an_operator_who_only_looks_changes_nothing() {
    let server = guarded().await;
    let looker = server.service(&[Scope::AdminRead]).await;
    for rule in RULES.iter().filter(|rule| rule.access.is_operators()) {
        let told = told_by_the_operators_door(&server, &looker, rule).await;
        assert_eq!(told.contains("PERMISSION_DENIED"), rule.access == Access::Admin, "{}: {told}", rule.path);
    }
    let of_users = "/guanxi.v1.RelationService/GetCounts";
    assert_eq!(post_as(server.main, &looker, of_users, "{}").await.reason(), "PERMISSION_DENIED");
}
