#!/usr/bin/env bash
# install.sh CMAKE BUILD VERSION SOURCE: what is installed works by itself, away from the source.
set -euo pipefail
cmake=$1 build=$2 version=$3 source=$4
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

fail() {
    echo "$*"
    exit 1
}

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
cd "$prefix"
program=$prefix/bin/flashlens
[[ $("$program" --version) == "flashlens $version" ]] || fail "--version says: $("$program" --version)"
"$program" explain --gpu A100 | grep -q 'A100' || fail "explain does not name the card"
data=$prefix/share/flashlens/data/minilm
said=$("$program" compare --machine cpu --input "$data" --json - 2>/dev/null) || fail "compare on $data failed: $said"
compact=$(tr -d ' \n' <<<"$said")
for expected in '"seqlen_q":135' '"heads":4' '"head_dim":32'; do
    [[ $compact == *"$expected"* ]] || fail "compare on the shipped inputs: no $expected in $said"
done
passes=$(grep -o '"verdict":"pass"' <<<"$compact" | wc -l)
[[ $passes -eq 2 ]] || fail "$passes variants pass on the shipped inputs, not 2: $said"
for file in share/doc/flashlens/{README.md,README.zh.md,LICENSE} share/flashlens/data/minilm/README.md \
    share/bash-completion/completions/flashlens share/zsh/site-functions/_flashlens; do
    [[ -s $prefix/$file ]] || fail "not installed: $file"
done
# Lessons: all are there, and what they link to is too.
lessons=$prefix/share/flashlens/lessons
[[ $(find "$lessons" -path '*/en/*.md' | wc -l) -gt 0 ]] || fail "no lesson is installed"
while IFS=: read -r page link; do
    target=${link##*(}
    target=${target%[)#]}
    [[ -e $(dirname "$page")/$target ]] || fail "$page links to $target, which is not installed"
done < <(grep -roHE '\]\([^):#]+[)#]' "$lessons" --include='*.md')
"$program" lesson 7 --lang zh | grep -q 'v2 赢在哪里' || fail "lesson 7 is not shown"
"$program" lecture --step 8 | grep -q 'num_splits' || fail "the lecture is not played"
# Exercises: moved elsewhere, the program judges one with what it holds itself.
[[ ! -e $lessons/exercises ]] || fail "exercises are installed, and built in"
mv "$prefix/bin" "$prefix/moved"
program=$prefix/moved/flashlens
practice() { "$program" practice --folder "$prefix/practice" "$@"; }
practice 1 --check >judged.txt 2>/dev/null && fail "exercise 1 passes as it is handed out: $(cat judged.txt)"
grep -q 'To read: flashlens lesson 2' judged.txt || fail "exercise 1 is not judged: $(cat judged.txt)"
cp "$source"/lessons/exercises/01-*/solution.cu practice/01-*.cu
said=$(practice 1) || fail "exercise 1 does not pass when it is solved: $said"
bash -n share/bash-completion/completions/flashlens || fail "the bash completion is no bash"
