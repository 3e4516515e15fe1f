"""The catalogue of fact paths: type, unit, source, and the points that know each one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from engine.language.points import PATH, POINTS

SCALARS = (
    "text", "yes_no", "number", "percent", "choice", "instant", "clock", "date", "duration", "moment",
    "money", "link", "host", "phone", "email", "order_number", "record",
)  # fmt: skip


@dataclass(frozen=True)
class Type:
    """A fact's type: a scalar name of SCALARS, whether it is a list, its choices if it is a choice."""

    name: str
    many: bool = False
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        base = " | ".join(self.choices) if self.choices else self.name
        return f"list of {base}" if self.many else base


@dataclass(frozen=True)
class Fact:
    """One declared path. `points` are the points that know it; `source` is what fails when it fails."""

    path: str
    type: Type
    unit: str
    source: str
    points: frozenset[str]
    says: str = ""

    def one(self) -> Fact:
        """The same fact of one item, when this one is a list."""
        return replace(self, type=replace(self.type, many=False))


def read_type(spelling: str) -> Type | None:
    """`text`, `list of phone`, `on | off`; None when it is no type."""
    many = spelling.startswith("list of ")
    name = spelling.removeprefix("list of ").strip()
    if "|" in name:
        return Type("choice", many, tuple(part.strip() for part in name.split("|")))
    return Type(name, many) if name in SCALARS and name != "choice" else None


def _since(point: str, *off: str) -> frozenset[str]:
    return frozenset(PATH[PATH.index(point) :]) | frozenset(off)


ALWAYS = frozenset(POINTS)
_OFF_MESSAGE = ("memory", "log", "request", "tool", "peer", "turn_end")
_MESSAGE = _since("arrive", *_OFF_MESSAGE)
_TOPIC = _since("topic", *_OFF_MESSAGE)
_ORDERS = _since("orders", *_OFF_MESSAGE)
_LIVE = _since("live", *_OFF_MESSAGE)
_ANSWER = _since("person-needed", "memory", "log", "turn_end")
_ITEM = frozenset({"memory", "log", "request"})

EXTRACTED: tuple[tuple[str, str, str, str], ...] = (
    ("links", "list of link", "", "links and addresses that open an app, normalised"),
    ("hosts", "list of host", "", "the hosts of its links"),
    ("phones", "list of phone", "", "telephone numbers"),
    ("emails", "list of email", "", "e-mail addresses"),
    ("times", "list of moment", "", "clock times, time ranges and dated times"),
    ("dates", "list of date", "", "calendar dates"),
    ("durations", "list of duration", "s", "lengths of time"),
    ("prices", "list of money", "", "amounts with a currency"),
    ("percentages", "list of percent", "%", "percentages"),
    ("cards", "list of text", "", "payment card numbers that pass their check digit"),
    ("ibans", "list of text", "", "bank account numbers that pass their check digits"),
    ("order_numbers", "list of order_number", "", "order numbers by the line's own pattern"),
    ("ids", "list of text", "", "other long numbers that could name a person or an account"),
    ("markup", "list of text", "", "leaked markup: json, tool_call, placeholder, reasoning, fence"),
    ("hidden", "list of text", "", "what nobody sees: words in tag characters, else code points"),
    ("language", "text", "", "its language (ISO code); absent when it is too short to tell"),
    ("emoji_only", "yes_no", "", "nothing but emoji"),
    ("bare_link", "yes_no", "", "nothing but one link"),
    ("question_word", "yes_no", "", "holds a question word or mark"),
    ("length", "number", "characters", "its length"),
)
"""What is read out of a text fact `<subject>.text`, each at `<subject>.<name>`."""

_ROWS: tuple[tuple[frozenset[str], str, str], ...] = (
    (ALWAYS, "clock", """
now                     instant                      when the turn is decided
now.time                clock                        the time of day in the line's zone
now.date                date                         the day in the line's zone
now.weekday             mon | tue | wed | thu | fri | sat | sun   the day of the week in the line's zone
"""),
    (ALWAYS, "line", """
line.name               text                         the line's name
line.phones             list of phone                the line's own telephone numbers
line.emails             list of email                the line's own e-mail addresses
line.hosts              list of host                 hosts the line may link to
line.links              list of link                 links the line may give
line.hours              list of moment               opening hours
line.open               yes_no                       whether the line is open now
line.languages          list of text                 the languages it speaks
line.admission          everyone | owner_only | allowlist   who may write in private
line.allowlist          list of text                 senders allowed
line.exempt             list of text                 senders exempt from the reply gate
line.active_from        clock                        start of the active hours
line.active_to          clock                        end of the active hours
line.chat_level         low | mid | high | no_limit  how readily it joins a chat
"""),
    (ALWAYS, "turn", """
bot.id                  text                         the bot that runs
bot.main                yes_no                       it is the main bot
round.id                text                         the round bots speak in
chain.id                text                         the chain of calls between bots
lane.id                 text                         the lane of a send (text, media)
turn.sample             number                       a draw between 0 and 1 for this turn
turn.tries              number                       how often this turn has been started
turn.tools_run          list of record               tool calls that ran in this turn
turn.tools_run.name     list of text                 their names
turn.tools_run.family   list of text                 their families (memory, action, calendar)
turn.images_unseen      yes_no                       an image of the turn reached no model
turn.image_queued       yes_no                       an image is being made
turn.outside_effect     yes_no                       something outside has already been changed
turn.spoken             yes_no                       this turn has already said something
"""),
    (_MESSAGE, "message", """
message.id              text                         the channel's id
message.text            text                         the words
message.kind            text | photo | voice | video | file | sticker | location | reaction   what it is
message.from            user | staff | bot           who wrote it
message.sent_at         instant                      when it was sent
message.age             duration                     how long ago it was sent
message.direct          yes_no                       meant for the bot (private, mention, quote, alias)
message.names_bot       yes_no                       mentions, quotes or names the bot
message.mentions_bot    yes_no                       mentions the bot
message.quotes_bot      yes_no                       quotes a line of the bot
message.mentions        list of text                 names it mentions
message.forwarded       yes_no                       forwarded content
message.duplicate       yes_no                       seen before
message.backfilled      yes_no                       fetched after an outage
message.photo.bytes     number                       bytes of its photo
sender.id               text                         who wrote it
sender.known            yes_no                       written before, or on record
sender.blocked          yes_no                       on the block list
sender.frozen           yes_no                       may not be answered at all
sender.level            number                       the platform's member level
sender.marked_bot       yes_no                       marked as a bot
sender.role             text                         the first role card that matches
sender.may              list of text                 what that role may do
sender.reads            list of text                 the scopes that role may read
channel.name            text                         the channel
chat.id                 text                         the conversation's id
chat.group              yes_no                       more than two take part
chat.mode               everyone | mention | listen_only   when a group is answered
chat.waiting            number                       messages waiting in this chat
chat.unanswered_question yes_no                      a question of the customer nobody has answered
chat.bot_lines          list of text                 the bot's recent lines
chat.customer_lines     list of text                 the customer's recent lines
chat.last_sent          text                         the last line the bot sent
chat.staff_present      yes_no                       an admin or the owner takes part
group.mode              admin | everyone             who is woken by a plain message
group.admin             list of text                 the group's admin
group.members           list of text                 its members, admin first
staff.replied_ago       duration                     since a person last wrote to this customer
staff.last_line_at      instant                      when a person last wrote to this customer
"""),
    (_TOPIC, "knowledge", """
topic.nearest           text                         the topic most of the nearest questions name, or none
topic.score             number                       similarity of the nearest question (0 to 1)
topic.live_data         yes_no                       the topic needs live data
topic.answer            text                         the answer kept with the nearest question
knowledge.times         list of moment               times in the knowledge answer
knowledge.prices        list of money                prices in the knowledge answer
knowledge.links         list of link                 links in the knowledge answer
knowledge.phones        list of phone                telephone numbers in the knowledge answer
"""),
    (_ORDERS, "orders", """
customer                record                       the customer as the store knows them
customer.name           text                         their name
customer.orders         list of record               their orders
customer.orders.number  list of order_number         the numbers
customer.orders.status  list of text                 the statuses
order                   record                       the order this turn is about
order.number            order_number                 its number
order.status            text                         its status, as the store spells it
order.page              link                         its own page
order.links             list of link                 links in its data
order.times             list of moment               times in its data
order.phones            list of phone                telephone numbers in its data
order.prices            list of money                prices in its data
order.closed_ago        duration                     since it was delivered or cancelled
order.driver_chat_open  yes_no                       the customer can write to the driver
"""),
    (_LIVE, "live", """
store.open              yes_no                       the shop is open now
store.delivers          yes_no                       it delivers to the address
store.in_stock          yes_no                       the product asked for is on the shelf
store.prices            list of money                prices it gives
store.times             list of moment               times it gives
link.product            text                         the product behind the customer's link
"""),
    (_ANSWER, "model", """
answer.text             text                         the answer's words
answer.source           model | text | knowledge     where they come from
answer.finish           stop | length | refusal | tool   how the model ended
answer.marker           pause | refusal | silence    a control marker it carried
answer.tool_calls       list of text                 tools it asked for
answer.repaired         yes_no                       already repaired once
answer.steps            number                       steps it took
"""),
    (_since("outcome", "memory", "log"), "decision", """
decision.card           text                         the card that decided
decision.outcome        send | draft | silent | store_only | dropped | hold   the outcome so far
decision.reason         text                         its reason
decision.source         model | text | knowledge     where the words come from
decision.text           text                         the words
decision.topic          text                         the topic
decision.wave           text                         the wave that labels it
decision.verdicts       list of text                 verdicts found
"""),
    (frozenset({"delivery"}), "send", """
send.chunk              number                       1 for the first piece
send.text               text                         the piece
send.attempts           number                       tries so far
send.superseded         yes_no                       a newer direct message of the same person is waiting
send.delivered_before   yes_no                       this piece is in the ledger
"""),
    (frozenset({"record"}), "delivered", """
delivered.sent          yes_no                       something really went out
delivered.text          text                         what went out
delivered.source        model | text | knowledge     where the words came from
delivered.card          text                         the card that decided
delivered.wave          text                         its wave
"""),
    (_ITEM, "item", """
item.text               text                         its words
item.kind               text                         fact, summary, line, entry, row
item.owner              text                         whose it is
item.scope              own | shared | members | all   how far it belongs
"""),
    (frozenset({"tool"}), "tool", """
tool.name               text                         the tool asked for
tool.family             text                         its family
tool.danger             yes_no                       outside the safe list
tool.arguments          text                         its arguments as text
tool.calls              number                       calls so far in this turn
"""),
    (frozenset({"tool", "peer", "limits"}), "peer", """
peer.kind               message | interrupt | stop   what one bot asks of another
peer.reply_to           user | sender                where the reply goes
peer.from               text                         the bot that asks
peer.target             text                         the bot asked
peer.hops               number                       hops of this chain so far
"""),
    (frozenset({"sweep"}), "conversation", """
conversation.silent_for duration                     since its last line
conversation.lines      number                       its lines
"""),
    (frozenset({"turn_end"}), "context", """
context.used            number                       tokens in use
context.usable          number                       tokens that may be used
context.checkpoints     number                       checkpoints so far
"""),
    (frozenset({"state"}), "state", """
state.file              ok | malformed | unreadable | newer   the file as found
state.backup            ok | failed                  its backup
state.lock              held | taken | impossible    the writer's lock
"""),
    (_ITEM, "secrets", """
secrets.values          list of text                 literal values that must not be shown
"""),
)  # fmt: skip

_TEXT_SUBJECTS = ("message", "answer", "item", "decision", "delivered")
_UNITS = {"duration": "s", "percent": "%"}


@cache
def catalogue() -> dict[str, Fact]:
    """The engine's declared facts by path."""
    rows: dict[str, Fact] = {}
    for points, source, table in _ROWS:
        for line in table.strip().splitlines():
            path, _, rest = line.partition(" ")
            spelling, _, says = rest.strip().partition("  ")
            kind = read_type(spelling.strip())
            assert kind is not None, f"facts table: {line!r} has no type"
            rows[path] = Fact(path, kind, _UNITS.get(kind.name, ""), source, points, says.strip())
    for subject in _TEXT_SUBJECTS:
        base = rows[f"{subject}.text"]
        for name, spelling, unit, says in EXTRACTED:
            kind = read_type(spelling)
            assert kind is not None
            path = f"{subject}.{name}"
            rows.setdefault(path, Fact(path, kind, unit, base.source, base.points, says))
    return rows


@cache
def points_from(point: str) -> frozenset[str]:
    """The points that know a fact which becomes known at `point` (that point and all later ones on the path)."""
    if not POINTS[point].on_path:
        return frozenset({point})
    off = _OFF_MESSAGE if PATH.index(point) <= PATH.index("verbatim") else ("memory", "log", "turn_end")
    return _since(point, *off)


def extend(base: Mapping[str, Fact], more: Iterable[Fact]) -> dict[str, Fact]:
    """The catalogue with a line's own facts; later rows of the same path win."""
    return {**base, **{fact.path: fact for fact in more}}
