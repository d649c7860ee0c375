"""The embedded language `nano_pt`: a probabilistic grammar of Portuguese with gold trees and exact scores.

    lexicon -> morphology -> words     every inflected form under a preterminal symbol
    grammar, syntax                    what a grammar is; the rules; the train and the test grammar
    sampler                            sentences with trees
    exact                              probability of any text, membership, entropies
    corpus                             documents in splits, cached on disk
    agreement, similarity, items       task files from the test grammar
    contrast                           sentences of known quality, to try a judge on

It needs no third-party data, and the best possible score is known: that is what a whole experiment can be
tried on. Sentences are grammatical, seldom sensible. Agreement crosses prepositional phrases and relative
clauses, contractions are multiword tokens, and some derived nouns occur in the test split only.
"""
