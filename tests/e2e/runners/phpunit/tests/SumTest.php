<?php

use PHPUnit\Framework\TestCase;

final class SumTest extends TestCase
{
    public function test_adds(): void
    {
        $this->assertSame(2, 1 + 1);
    }

    public function test_is_wrong(): void
    {
        $this->assertSame(3, 1 + 1);
    }

    public function test_is_skipped(): void
    {
        $this->markTestSkipped();
    }
}
