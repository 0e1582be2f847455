RSpec.describe 'sum' do
  it('adds') { expect(1 + 1).to eq(2) }
  it('is wrong') { expect(1 + 1).to eq(3) }
  xit('is skipped') {}
end
