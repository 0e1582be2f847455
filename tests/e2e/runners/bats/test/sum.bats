@test "adds" {
  [ $((1 + 1)) -eq 2 ]
}

@test "is wrong" {
  echo "assertion failed: expected 3, got $((1 + 1))"
  [ $((1 + 1)) -eq 3 ]
}

@test "is skipped" {
  skip
}
