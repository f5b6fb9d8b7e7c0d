"""Founding a campaign, what it plays by, and its end."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, assert_never

import msgspec

from aggregates.contract import Family
from aggregates.kinds import Action, Because, Content, Event, Key, Name, Refused, Request
from aggregates.rules import Setting
from aggregates.state import Campaign, Pinned, Player, World

CampaignKey = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}$(?!\n)")]


class FoundCampaign(Action, tag="campaign.found", frozen=True, kw_only=True):
    """Found a campaign with its first organiser; `editions` are those of its systems, in their order."""

    campaign: CampaignKey
    name: Name
    organiser: Key
    organiser_name: Name
    systems: tuple[Key, ...] = ()
    editions: tuple[str, ...] = ()


class RenameCampaign(Action, tag="campaign.rename", frozen=True, kw_only=True):
    """Correct the campaign's name."""

    name: Name


class SetOption(Action, tag="campaign.set-option", frozen=True, kw_only=True):
    """Play an option another way from now on; the value is what the option takes, already read."""

    option: str
    value: Setting


class PinContent(Action, tag="campaign.pin-content", frozen=True, kw_only=True):
    """Play by content of one's own: the content itself goes into the book."""

    kind: Key
    name: Key
    content: Content


class EndCampaign(Action, tag="campaign.end", frozen=True, kw_only=True):
    """End the campaign; only rulings, notes and reopening follow."""

    because: Because = ""


class ReopenCampaign(Action, tag="campaign.reopen", frozen=True, kw_only=True):
    """Go on with a campaign that was ended; nothing is opened a second time."""

    after_end: ClassVar[bool] = True
    because: Because = ""


class CampaignFounded(Event, tag="campaign.founded", frozen=True, kw_only=True, gc=False):
    """A campaign was founded; `editions` are those of its systems, in their order."""

    campaign: str
    name: str
    organiser: str
    organiser_name: str
    systems: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()


class CampaignRenamed(Event, tag="campaign.renamed", frozen=True, kw_only=True, gc=False):
    """The campaign's name was corrected."""

    name: str


class OptionSet(Event, tag="campaign.option-set", frozen=True, kw_only=True, gc=False):
    """An option is played another way from here on."""

    option: str
    value: Setting


class ContentPinned(Event, tag="campaign.content-pinned", frozen=True, kw_only=True):
    """The campaign plays by this content from here on."""

    kind: str
    name: str
    content: dict[str, Any]


class CampaignEnded(Event, tag="campaign.ended", frozen=True, kw_only=True, gc=False):
    """The campaign ended."""

    because: str = ""


class CampaignReopened(Event, tag="campaign.reopened", frozen=True, kw_only=True, gc=False):
    """The campaign goes on."""

    because: str = ""


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide what founds, changes or ends a campaign."""
    match request.action:
        case FoundCampaign() as asked:
            yield _found(world, request, asked)
        case RenameCampaign(name=name):
            if name == world.founded().name:
                raise Refused("NOTHING_CHANGES", what=name)
            yield CampaignRenamed(name=name)
        case SetOption(option=option, value=value):
            yield OptionSet(option=option, value=value)
        case PinContent(kind=kind, name=name, content=content):
            yield ContentPinned(kind=kind, name=name, content=content)
        case EndCampaign(because=because):
            open_battles = [str(b.number) for b in world.battles.values() if b.stage in ("scheduled", "started")]
            if open_battles:
                raise Refused("BATTLES_OPEN", battles=", ".join(open_battles))
            yield CampaignEnded(because=because)
        case ReopenCampaign(because=because):
            if not world.founded().ended:
                raise Refused("CAMPAIGN_NOT_ENDED", campaign=world.founded().name)
            yield CampaignReopened(because=because)
        case other:
            raise AssertionError(other)


def _found(world: World, request: Request, asked: FoundCampaign) -> CampaignFounded:
    if world.campaign is not None:
        raise Refused("CAMPAIGN_EXISTS", campaign=world.campaign.name)
    if request.by != asked.organiser:
        raise Refused("NOT_ORGANISER", player=request.by, organisers=asked.organiser_name)
    if request.on_behalf_of:
        raise Refused("SPEAKS_FOR_NOBODY", player=asked.organiser_name, organisers=asked.organiser_name)
    return CampaignFounded(
        campaign=asked.campaign,
        name=asked.name,
        organiser=asked.organiser,
        organiser_name=asked.organiser_name,
        systems=asked.systems,
        editions=asked.editions,
    )


FoundingEvent = CampaignFounded | CampaignRenamed | OptionSet | ContentPinned | CampaignEnded | CampaignReopened


def evolve(world: World, event: FoundingEvent) -> None:
    """Apply what was founded, changed or ended."""
    match event:
        case CampaignFounded():
            world.campaign = Campaign(event.campaign, event.name, event.systems, event.editions)
            world.players[event.organiser] = Player(event.organiser, event.organiser_name, "organiser")
            world.sheets = {system: {} for system in event.systems}
        case CampaignRenamed(name=name):
            world.campaign = msgspec.structs.replace(world.founded(), name=name)
        case OptionSet(option=option, value=value):
            world.settings[option] = value
        case ContentPinned(kind=kind, name=name, content=content):
            world.pinned[f"{kind}/{name}"] = Pinned(kind, name, content)
        case CampaignEnded():
            world.campaign = msgspec.structs.replace(world.founded(), ended=True)
        case CampaignReopened():
            world.campaign = msgspec.structs.replace(world.founded(), ended=False)
        case _:
            assert_never(event)


FAMILY = Family(
    actions=(FoundCampaign, RenameCampaign, SetOption, PinContent, EndCampaign, ReopenCampaign),
    events=(CampaignFounded, CampaignRenamed, OptionSet, ContentPinned, CampaignEnded, CampaignReopened),
    decide=decide,
    evolve=evolve,
)
