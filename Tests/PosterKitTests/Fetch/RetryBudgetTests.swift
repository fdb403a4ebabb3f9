import Testing

@testable import PosterFetch
@testable import PosterKit

@Suite struct RetryBudgetTests {
    @Test func `an ailing host is asked at most a third more than a healthy one`() {
        var budget = RetryBudget()
        var retries = 0
        for _ in 0..<3000 {
            budget.earn()
            for _ in 0..<2 where budget.spend() { retries += 1 }
        }
        #expect((1000...1000 + RetryBudget.reserve).contains(retries))
    }

    @Test func `a few failures among many are all tried again`() {
        var budget = RetryBudget()
        for number in 0..<1000 {
            budget.earn()
            guard number % 10 == 0 else { continue }
            let (first, second) = (budget.spend(), budget.spend())
            #expect(first && second)
        }
    }
}
