// Relations between slots that are not linear, or leave 64 bits; and finding those that are.
#include <algorithm>

#include "guards/ops.h"

namespace guards {
namespace {

bool apply(const Token &token, int64_t &left, int64_t right) {
    switch (token.kind) {
    case Token::ADD: return !__builtin_add_overflow(left, right, &left);
    case Token::SUBTRACT: return !__builtin_sub_overflow(left, right, &left);
    case Token::MULTIPLY: return !__builtin_mul_overflow(left, right, &left);
    case Token::MIN: left = std::min(left, right); return true;
    case Token::MAX: left = std::max(left, right); return true;
    default: break;
    }
    if (right == 0 || (right == -1 && left == INT64_MIN)) return false;
    int64_t quotient = left / right, rest = left % right;
    if (rest != 0 && (rest < 0) != (right < 0)) {  // Python rounds towards minus infinity
        quotient -= 1;
        rest += right;
    }
    left = token.kind == Token::DIVIDE ? quotient : rest;
    return true;
}

// The value of a postfix expression; false when it leaves 64 bits or divides by zero.
bool evaluate(const std::vector<Token> &tokens, const int64_t *slots, int64_t &value) {
    int64_t stack[MAX_STACK];
    size_t depth = 0;
    for (const Token &token : tokens) {
        if (token.kind == Token::NUMBER) {
            stack[depth++] = token.value;
        } else if (token.kind == Token::SLOT) {
            stack[depth++] = slots[token.value];
        } else {
            --depth;
            if (!apply(token, stack[depth - 1], stack[depth])) return false;
        }
    }
    value = stack[0];
    return true;
}

// into += factor * slot; false where there is no room.
bool add_term(Sum &into, Sum::Term term) {
    Sum::Term *end = into.terms + into.n_terms;
    Sum::Term *same = std::find_if(into.terms, end, [&](const Sum::Term &other) {
        return other.slot == term.slot;
    });
    if (same != end) return !__builtin_add_overflow(same->factor, term.factor, &same->factor);
    if (into.n_terms == Sum::MAX_TERMS) return false;
    into.terms[into.n_terms++] = term;
    return true;
}

// into += factor * other; false where that is no small sum.
bool add(Sum &into, const Sum &other, int64_t factor) {
    int64_t number;
    if (__builtin_mul_overflow(other.constant, factor, &number) ||
        __builtin_add_overflow(into.constant, number, &into.constant)) {
        return false;
    }
    return std::all_of(other.terms, other.terms + other.n_terms, [&](Sum::Term term) {
        return !__builtin_mul_overflow(term.factor, factor, &term.factor) && add_term(into, term);
    });
}

bool combine(Token::Kind operation, Sum &left, const Sum &right) {
    if (operation == Token::ADD) return add(left, right, 1);
    if (operation == Token::SUBTRACT) return add(left, right, -1);
    if (operation != Token::MULTIPLY || (left.n_terms && right.n_terms)) return false;
    Sum scaled{};
    bool is_small = left.n_terms ? add(scaled, left, right.constant)
                                 : add(scaled, right, left.constant);
    left = scaled;
    return is_small;
}

// The sum that a postfix expression is; false where it is none, or a long one.
bool find_sum(const std::vector<Token> &tokens, Sum &sum) {
    Sum stack[MAX_STACK];
    size_t depth = 0;
    for (const Token &token : tokens) {
        if (token.kind == Token::NUMBER) {
            stack[depth++] = Sum{token.value, 0, {}};
        } else if (token.kind == Token::SLOT) {
            stack[depth++] = Sum{0, 1, {{1, token.value}}};
        } else {
            --depth;
            if (!combine(token.kind, stack[depth - 1], stack[depth])) return false;
        }
    }
    sum = stack[0];
    return true;
}

}  // namespace

bool holds_unusual_relation(const Relation &relation, const int64_t *slots) {
    int64_t left, right;
    return evaluate(relation.left, slots, left) && evaluate(relation.right, slots, right) &&
           accepts(relation.accepted, left, right);
}

void find_difference(Relation &relation) {
    Sum right{};
    relation.is_linear = find_sum(relation.left, relation.difference) &&
                         find_sum(relation.right, right) && add(relation.difference, right, -1);
}

}  // namespace guards
