"""The loss report: the right and the wrong forms of one loss, side by side. Every number is computed."""

from typing import TypedDict

from rig.reference import loss

_PROBE = [0.0, -800.0]
_UNIFORM_LENGTH = 8


class LossReport(TypedDict):
    """What `loss_report.json` holds. Losses in nats a token."""

    vocab_size: int
    pad_id: int
    seq_len: int
    pad_count: int
    kept: int
    dropped: int
    unshifted_loss: float
    shifted_loss: float
    masked_loss: float
    unshifted_perplexity: float
    shifted_perplexity: float
    masked_perplexity: float
    bits_per_token: float
    uniform_perplexity: float
    probe_gap: int
    naive_is_inf: bool
    stable_logprob: float


def loss_report() -> LossReport:
    """The report's numbers, from one call of `rig.reference.loss.dataset`.

    `kept` and `dropped` count the shifted targets; `masked_*` are of the shifted pair without padding, and
    `bits_per_token` is `masked_loss` in bits.
    """
    rows, ids = loss.dataset()
    shifted_rows, targets = loss.shift_pairs(rows, ids)
    kept = loss.kept_positions(targets, loss.PAD_ID)
    masked_loss = loss.masked_cross_entropy(shifted_rows, targets, loss.PAD_ID)
    return LossReport(
        vocab_size=loss.VOCAB,
        pad_id=loss.PAD_ID,
        seq_len=len(ids),
        pad_count=ids.count(loss.PAD_ID),
        kept=len(kept),
        dropped=len(targets) - len(kept),
        unshifted_loss=loss.unshifted_loss(rows, ids),
        shifted_loss=loss.shifted_loss(rows, ids),
        masked_loss=masked_loss,
        unshifted_perplexity=loss.perplexity(rows, ids),
        shifted_perplexity=loss.perplexity(shifted_rows, targets),
        masked_perplexity=loss.perplexity(
            [shifted_rows[position] for position in kept], [targets[position] for position in kept]
        ),
        bits_per_token=loss.bits_per_token(masked_loss),
        uniform_perplexity=loss.uniform_perplexity(loss.VOCAB, _UNIFORM_LENGTH),
        probe_gap=round(_PROBE[0] - _PROBE[1]),
        naive_is_inf=loss.naive_log_softmax(_PROBE)[1] == loss.NEG_INF,
        stable_logprob=loss.log_softmax(_PROBE)[1],
    )


def render_markdown(report: LossReport) -> str:
    """The report as Korean Markdown: four sections, each with the numbers it speaks of."""
    return _TEMPLATE.format(
        **report,
        n_targets=report["kept"] + report["dropped"],
        naive="-inf" if report["naive_is_inf"] else "유한한 값",
    )


_TEMPLATE = """\
# 손실 보고서

## 무엇을 쟀나

토큰 {seq_len}개짜리 열 하나를 쟀다. 어휘는 {vocab_size}개이고, 끝의 {pad_count}개는 패딩(id {pad_id})이다.
손실은 토큰당 평균 음의 로그 확률(자연로그, nats)이고, 퍼플렉시티는 평균 손실의 exp다. exp의 평균이 아니다.
모든 토큰이 똑같이 그럴듯하면 퍼플렉시티는 어휘 크기와 같다: {uniform_perplexity:.4f}.

로그 확률은 로짓에서 바로 구한다. 로짓 차이가 {probe_gap}일 때의 값:

| 순서 | 로그 확률 |
|---|---|
| 확률을 먼저, 로그를 나중에 | {naive} |
| 로짓에서 바로 | {stable_logprob:.4f} |

## 한 칸 어긋나면

위치 t의 로짓은 t+1에 오는 토큰을 예측한다. 밀지 않으면 이미 읽은 토큰으로 채점하게 된다.

| 짝 | 손실 (nats) | 퍼플렉시티 |
|---|---|---|
| 밀지 않음: t와 t | {unshifted_loss:.4f} | {unshifted_perplexity:.4f} |
| 한 칸 밂: t와 t+1 | {shifted_loss:.4f} | {shifted_perplexity:.4f} |

## 패딩을 빼면

한 칸 민 정답 {n_targets}개 가운데 {kept}개를 남기고 패딩 {dropped}개를 뺐다.
남은 손실의 합을 남은 개수로 나눈다. 패딩은 맞히기 쉬우므로, 넣고 재면 손실이 실제보다 작아 보인다.

| 정답 | 손실 (nats) | 퍼플렉시티 |
|---|---|---|
| 패딩 포함 | {shifted_loss:.4f} | {shifted_perplexity:.4f} |
| 패딩 제외 | {masked_loss:.4f} | {masked_perplexity:.4f} |

## 비트로 재면

비트는 nats를 ln 2로 나눈 값이다. 패딩을 뺀 손실 {masked_loss:.4f} nats는 토큰당 {bits_per_token:.4f} 비트다.
밑이 맞으면 2의 {bits_per_token:.4f}제곱이 퍼플렉시티 {masked_perplexity:.4f}와 같다.
"""
