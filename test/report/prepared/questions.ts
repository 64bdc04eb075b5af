/** A question to a shop's support assistant, a good answer and one that went wrong. */
export interface Question {
  readonly id: string;
  readonly tag: string;
  readonly input: string;
  readonly expected: string;
  readonly good: string;
  readonly bad: string;
}

const TOPICS: readonly Question[] = [
  {
    id: 'refund-window',
    tag: 'refunds',
    input: 'How long may I return something I bought?',
    expected: 'Within 30 days of delivery, unused, with the receipt.',
    good: 'You may return unused items within 30 days of delivery. Please keep the receipt, it goes into the parcel with the item.',
    bad: 'You may return items within 90 days of delivery, used or not. Please keep the receipt, it goes into the parcel with the item.',
  },
  {
    id: 'refund-sale',
    tag: 'refunds',
    input: 'Can I get my money back for a sale item?',
    expected: 'Sale items are exchanged or credited, not refunded.',
    good: 'Sale items are exchanged or credited to your account. A refund in money is not possible for them.',
    bad: 'Of course! Sale items are refunded in full to your card. A refund in money is always possible.',
  },
  {
    id: 'refund-time',
    tag: 'refunds',
    input: 'When will my refund arrive?',
    expected: 'Within 5 to 7 working days after the parcel reached us.',
    good: 'A refund is paid within 5 to 7 working days after your parcel has reached our warehouse.',
    bad: 'A refund is paid at once, as soon as you ask for it in the chat.',
  },
  {
    id: 'shipping-cost',
    tag: 'shipping',
    input: 'What does shipping to Austria cost?',
    expected: '4.90 euros, free from 50 euros.',
    good: 'Shipping to Austria costs 4.90 euros. From 50 euros on it is free.',
    bad: 'Shipping is free.',
  },
  {
    id: 'shipping-track',
    tag: 'shipping',
    input: 'Where do I find my tracking number?',
    expected: 'In the shipping mail and under Orders.',
    good: 'The tracking number is in the shipping mail, and under Orders in your account.',
    bad: 'Please call the carrier.',
  },
  {
    id: 'password-reset',
    tag: 'account',
    input: 'I forgot my password. What now?',
    expected: 'Use the reset link on the sign-in page; it is valid for 60 minutes.',
    good: 'Open the sign-in page and use the reset link. The mail you get is valid for 60 minutes.',
    bad: 'Tell me your old password and I will look it up.',
  },
  {
    id: 'delete-account',
    tag: 'account',
    input: 'How do I delete my account?',
    expected: 'Under Settings, Privacy; data is erased after 14 days.',
    good: 'Go to Settings, then Privacy, and choose Delete account. Your data is erased after 14 days.',
    bad: 'Accounts cannot be deleted.',
  },
  {
    id: 'hotline-hours',
    tag: 'contact',
    input: 'When is the hotline open?',
    expected: 'Monday to Friday, 9:00 to 18:00.',
    good: 'Our hotline is open from Monday to Friday, 9:00 to 18:00.',
    bad: 'Our hotline is open every day from 8:00 to 22:00.',
  },
];

const ASKED = [
  '',
  'Hello! ',
  'Quick question: ',
  'Sorry to bother you. ',
  'For a friend: ',
  'Once more: ',
  'Hi team, ',
  'Please help. ',
];

/** The same questions in the same order, `count` of them; ids are unique. */
export function questions(count: number): readonly Question[] {
  return Array.from({ length: count }, (_, at) => {
    const topic = TOPICS[at % TOPICS.length] as Question;
    const round = Math.floor(at / TOPICS.length);
    const asked = ASKED[round % ASKED.length] ?? '';
    return { ...topic, id: round === 0 ? topic.id : `${topic.id}-${round + 1}`, input: `${asked}${topic.input}` };
  });
}
