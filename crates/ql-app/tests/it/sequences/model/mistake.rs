//! Rules got wrong on purpose.

/// A rule that the model gets wrong on purpose, to see that the comparison finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Mistake {
    AnyBaseWillDo,
    FinishedRunsAcceptWork,
    SameBytesAreANewArtifact,
    MissingOutputsAreFine,
    KeysMeanNothing,
    PermissionsHoldForever,
    RevokedConnectionsWork,
    ViewersDecide,
    OneApprovalSuffices,
    OldDigestsAreGood,
    NothingExpires,
    NothingIsStale,
    SchedulesFireAtOnce,
    UnpublishedPagesStay,
    AddressesAreNotReleased,
    OtherSitesAnswerOtherwise,
    LeasesHoldForEver,
    AnyTokenWillDo,
    SessionsReachEverything,
    TurnsComeBackForEver,
}

impl Mistake {
    pub(in super::super) const ALL: [Self; 20] = [
        Self::AnyBaseWillDo,
        Self::FinishedRunsAcceptWork,
        Self::SameBytesAreANewArtifact,
        Self::MissingOutputsAreFine,
        Self::KeysMeanNothing,
        Self::PermissionsHoldForever,
        Self::RevokedConnectionsWork,
        Self::ViewersDecide,
        Self::OneApprovalSuffices,
        Self::OldDigestsAreGood,
        Self::NothingExpires,
        Self::NothingIsStale,
        Self::SchedulesFireAtOnce,
        Self::UnpublishedPagesStay,
        Self::AddressesAreNotReleased,
        Self::OtherSitesAnswerOtherwise,
        Self::LeasesHoldForEver,
        Self::AnyTokenWillDo,
        Self::SessionsReachEverything,
        Self::TurnsComeBackForEver,
    ];
}
