"""The layouts of Everyplace as Construct grammars: what the quick codecs are held equal to."""
