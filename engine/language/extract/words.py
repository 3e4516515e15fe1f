"""Linguistic data: the commonest words of some languages (how a language is told) and their question words."""

from __future__ import annotations

COMMON = {
    "en": frozenset(
        "the is are was were be been have has had do does did not and but for with from this that these those you your i my me we our they "
        "he she it its what when where why how who which will would can could should please thank thanks hello there if or of to in on at by "
        "an about want need get got order just still yet already am i'm it's don't can't haven't".split()
    ),
    "es": frozenset(
        "el la los las un una unos unas es son era fue ser está están estoy he ha han hay no y pero para por con de del en al que qué cuándo cuando "
        "dónde donde cómo como quién cuál mi mis su sus tu tus yo me nos se lo le les este esta esto ese eso muy más ya si sí gracias hola quiero "
        "necesito puedo puede pueden tengo tiene favor pedido todavía aún sobre sin desde hasta".split()
    ),
    "pt": frozenset(
        "o os as um uma é são foi está estão não e mas para por com de do da dos das em no na que quando onde como quem meu minha seu sua eu me nos "
        "isso este esta muito mais já sim obrigado obrigada olá quero preciso posso tenho tem favor pedido você vocês".split()
    ),
    "fr": frozenset(
        "le la les un une des est sont était être ai a ont ne pas et mais pour par avec de du en au aux que quand où comment qui quel mon ma mes son "
        "sa ses votre vos je me nous vous ce cette ces très plus déjà si oui merci bonjour veux peux avez suis c'est j'ai commande".split()
    ),
    "de": frozenset(
        "der die das ein eine einen ist sind war waren sein habe hat haben nicht und aber für mit von im in am zu den dem dass wann wo wie wer "
        "welche mein meine ihr ihre ich mich wir uns sie es dieser diese sehr mehr schon wenn ja danke hallo möchte kann können bitte bestellung noch".split()
    ),
}
QUESTIONS = frozenset(
    "what when where why how who whom whose which qué cuándo dónde cómo quién quiénes cuál cuáles cuánto cuánta cuántos cuántas "
    "wann wo wie wer warum welche quand où comment pourquoi quel quelle quando onde quem qual".split()
)
